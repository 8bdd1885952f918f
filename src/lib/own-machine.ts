// Whether a page is served by the user's own machine. Then it needs no copy for offline use, and links to it do not work elsewhere.

const OWN_NAMES = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export const isOwnMachine = (hostname: string): boolean => OWN_NAMES.test(hostname);
