import manifest from '../../package.json' with { type: 'json' };

export const { version, dependencies } = manifest;

/** The oldest supported major version of Node. */
export const neededNode = Number.parseInt(manifest.engines.node.replace(/\D*/, ''), 10);
