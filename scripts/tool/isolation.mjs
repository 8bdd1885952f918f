// Cross-origin isolation, as two headers: with both of them a browser gives the page and its workers shared memory
// (SharedArrayBuffer), which threads need. Sent by the lab's server with every answer, by Vite's development server, and on a host
// that cannot send headers added by the page's service worker (public/service-worker.js), which a test holds to these.
//
// `require-corp`, not `credentialless`: nothing that the page or its workers load comes from another origin without CORS, so that
// the stricter one forbids nothing here, and Safari knows no other. A script of a worker must carry it too, or a page that has it
// refuses the worker; workers and frames from text have it from whoever made them.

export const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
