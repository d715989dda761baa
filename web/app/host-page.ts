// Values the server has written into the HTML shell, read only here.

export const appRoot = document.getElementById('app')!;

/** Path of the public address without a trailing slash: '' or '/files'. */
export const basePath = appRoot.dataset.base ?? '';

/** Required for styles created at run time (Content-Security-Policy). */
export const styleNonce = appRoot.dataset.nonce ?? '';
