// What the shell tells the app about where it runs. The only reader of the attributes that the server has filled in.

export const appRoot = document.getElementById('app')!;

/** Path of the public address without a trailing slash: '' or '/files'. */
export const basePath = appRoot.dataset.base ?? '';

/** Styles made while the app runs must carry it (Content-Security-Policy). */
export const styleNonce = appRoot.dataset.nonce ?? '';
