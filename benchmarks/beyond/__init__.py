"""What lies beyond the paper, measured: noise, annotators, adaptive questions, privacy, planning."""
