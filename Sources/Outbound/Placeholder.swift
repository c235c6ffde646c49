// Outbound
