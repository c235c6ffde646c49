// Authentication
