"""The timetable of scheduled jobs and the clock that fires it."""
