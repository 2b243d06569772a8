"""What is attacked: detectors, frozen with their threshold."""
