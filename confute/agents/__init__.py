"""Who attacks: views, search strategies and minimising."""
