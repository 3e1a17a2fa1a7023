"""Live events for clients: Socket.IO over WebSocket at /ws/."""
