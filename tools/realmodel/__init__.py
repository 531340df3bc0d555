"""Check of protocols and prompt packs with a real language model on this machine."""
