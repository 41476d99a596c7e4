"""The folders of finished runs: reading, listing and inspecting them."""
