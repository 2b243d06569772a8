"""Metamorphic relations measured on victims: detectors, judges and personas."""
