"""What a run would ask and take, before it is asked: counts, prompts, stand-ins for replies, a pilot."""
