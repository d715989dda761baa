// Values that the server has written into the HTML shell.

export const appRoot = document.getElementById('app')!;

/** Path of the public address without a trailing slash: '' or '/files'. */
export const basePath = appRoot.dataset.base ?? '';

/** Required for styles created at run time. */
export const styleNonce = appRoot.dataset.nonce ?? '';
