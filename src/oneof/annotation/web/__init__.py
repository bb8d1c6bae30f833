"""The site: routes, what guards them, pages and what is sent to them."""
