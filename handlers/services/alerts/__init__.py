"""Alerts: values that cross a line or are not written any more, late schedules, and slow runs."""
