// Errors for the Hub's status codes, and for a browser's refusal.
import { HubError } from '../errors.ts';

/** The error for a file of a gated or private model whose host did not answer the browser's preflight for the token. */
export function refusedAfterRedirect(endpoint: string, what: string): HubError {
  const { host } = new URL(endpoint);
  return new HubError(
    `${host} redirects to another host for ${what}. This browser may not read it: with an access token Firefox asks that host for permission first, and it does not answer.`,
    'Use Chrome, Edge or Safari for gated and private models, or `npm run lab -- download` and drop the folder.',
    null,
  );
}

/** The error for a status; X-Error-Code has details. Without a token the Hub answers 401 if the repository does not exist. */
export function refusal(url: string, status: number, code: string, hasToken: boolean): HubError {
  const { host, pathname } = new URL(url);
  const say = (what: string, remedy: string) => new HubError(`${host}: ${what}`, remedy, status);
  const where = decodeURIComponent(pathname).slice(0, 160);
  if (code === 'GatedRepo' || status === 403) {
    return say(
      `the repository is gated, and ${hasToken ? 'this access token has no right to it' : 'it needs an access token'} (status ${status}, ${where}).`,
      'Accept its conditions on its page, then give an access token of that account; or drop the model’s folder.',
    );
  }
  if (status === 401 || code === 'RepoNotFound') {
    return hasToken
      ? say(
          `the access token is refused, or there is no such repository (status ${status}, ${where}).`,
          'Check the name, and the token in the Hub’s settings.',
        )
      : say(
          `there is no such public repository (status ${status}, ${where}).`,
          'Check the name, OWNER/NAME; a private one needs an access token.',
        );
  }
  if (code === 'RevisionNotFound') {
    return say(
      `the repository has no such revision (${where}).`,
      'Name a branch, a tag or a commit; `main` is the default.',
    );
  }
  if (status === 404) return say(`there is no ${where}.`, 'Check the name and the revision.');
  if (status === 416) return say(`the file is shorter than announced (${where}).`, 'Start the download again.');
  return say(`status ${status} for ${where}.`, 'Check the endpoint; it does not answer as the Hub does.');
}
