// The product's version and what it is made of, from the one place that has them.
import manifest from '../../package.json' with { type: 'json' };

export const { version, dependencies } = manifest;
