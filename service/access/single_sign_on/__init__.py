"""Single sign-on by OpenID Connect: an identity provider says who somebody is, and in which groups."""
