// The product's version and what it is made of, from the one place that has them.
import manifest from '../../package.json' with { type: 'json' };

export const { version, dependencies } = manifest;

/** The oldest major version of Node that runs it. */
export const neededNode = Number.parseInt(manifest.engines.node.replace(/\D*/, ''), 10);
