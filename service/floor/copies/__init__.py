"""Where pictures of the tables are copied to: a folder, or a bucket of an S3-compatible store."""
