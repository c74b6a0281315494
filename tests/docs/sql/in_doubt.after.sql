ROLLBACK PREPARED 'nightly batch';
