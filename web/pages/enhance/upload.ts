// The one script of request and drop pages.
export {};
