"""Periodic work: sweeps, leader election, checks of clocks and of the installation's parts."""
