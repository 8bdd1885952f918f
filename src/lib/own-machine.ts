// Whether a page is served by the machine that shows it. Such a lab needs no copy for offline use, and a link to it opens nowhere else.

const OWN_NAMES = /^(localhost|127(\.\d+){3}|\[::1\])$/;

export const isOwnMachine = (hostname: string): boolean => OWN_NAMES.test(hostname);
