// The two headers of cross-origin isolation. With both a browser gives the page and its workers shared memory (SharedArrayBuffer), which
// threads need. The lab's server sends them with every response, and so does Vite's development server; on a host that cannot send headers the
// page's service worker adds them (public/service-worker.js; a test compares its headers with these).
//
// The embedder policy is `require-corp`, not `credentialless`: everything that the page or its workers load from another origin comes with
// CORS, so the stricter policy forbids nothing here, and Safari knows no other. A worker's script must carry it too, or a page that has it
// refuses the worker; workers and frames made from text inherit it from their creator.

export const ISOLATION = {
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
};
