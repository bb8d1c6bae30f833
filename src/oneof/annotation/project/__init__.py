"""What a project is: its folder and settings, its classes, and how items come in."""
