"""What the service does beside answering requests: questions and acts that know neither nodes nor HTTP."""
