"""The timetable of scheduled jobs, and the timer that fires them."""
