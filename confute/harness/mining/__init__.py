"""Foreign evidence mined for a claim: who is eligible, who is nearest, and which set gives the lowest energy."""
