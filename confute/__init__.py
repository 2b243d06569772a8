"""Adversarial testing of hallucination detectors and LLM personas."""
