// The product's version, from the one place that has it.
import manifest from '../../package.json' with { type: 'json' };

export const { version } = manifest;
