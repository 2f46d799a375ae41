"""Second factors of accounts: codes of an authenticator app, passkeys, and recovery codes for when both are lost."""
