"""Automatic skeletons against compressions made by people: methods, domains, and agreement with hand-made masks."""
