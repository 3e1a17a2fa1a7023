"""Events as they happen: Socket.IO over WebSocket at /ws/, for clients."""
