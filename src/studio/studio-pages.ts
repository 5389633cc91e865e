import { readFileSync } from 'node:fs';
import { chooseCoding } from '../wire/accept-encoding.ts';
import type { Page, PageRequest, Pages } from '../wire/pages.ts';
import { HandbookFiles } from './handbook-files.ts';
import { type StudioFile, StudioFiles } from './studio-files.ts';

/** What the studio must know before it can send its first request. Nothing in it is secret. */
export interface StudioFacts {
  readonly region: string;
  /** Whether signatures are verified, so that the studio has to ask for credentials. */
  readonly auth: 'open' | 'verify';
}

/** Everything of the studio but the page itself lies under this path. */
const prefix = '/_studio/';

/**
 * The page loads nothing from elsewhere, runs no script but its own, is framed by nobody, and sends nothing but to its
 * own origin. Item content that slipped into markup would thus still not run.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const guards = {
  'Content-Security-Policy': policy,
  'X-Content-Type-Options': 'nosniff',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
};

/** A picture has a style inside, which follows the theme, and nothing that runs. */
const pictureHeaders = {
  ...guards,
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
  'Content-Type': 'image/svg+xml',
  'Cache-Control': 'no-cache',
};

/** Answers `GET /` for browsers with the studio, and what it is made of under `/_studio/`. */
export function studioPages(facts: StudioFacts): Pages {
  const files = new StudioFiles();
  const handbook = new HandbookFiles();
  const about = { version: packageVersion(), ...facts, handbook: handbook.names };
  return (request) => {
    const { path } = request;
    if (path === '/') {
      const page = files.file('index.html');
      return page === undefined ? notBuilt() : filePage(page, request, 'no-cache');
    }
    if (!path.startsWith(prefix)) return undefined;
    const name = path.slice(prefix.length);
    if (name === 'about.json') {
      const headers = { ...guards, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' };
      return { status: 200, headers, body: `${JSON.stringify(about)}\n` };
    }
    const [, picture] = /^handbook\/pictures\/([\w-]+)\.svg$/.exec(name) ?? [];
    if (picture !== undefined) {
      const body = handbook.picture(picture);
      return body === undefined ? undefined : { status: 200, headers: pictureHeaders, body };
    }
    const [, chapter] = /^handbook\/([\w-]+)\.md$/.exec(name) ?? [];
    if (chapter !== undefined) {
      const body = handbook.page(chapter);
      const headers = {
        ...guards,
        'Content-Type': 'text/markdown; charset=utf-8',
        'Cache-Control': 'no-cache',
      };
      return body === undefined ? undefined : { status: 200, headers, body };
    }
    const file = files.file(name);
    // Every name but the page's has a hash of the content in it.
    return file && filePage(file, request, 'public, max-age=31536000, immutable');
  };
}

function filePage(file: StudioFile, { headers }: PageRequest, caching: string): Page {
  const isGzip = headers.acceptEncoding !== undefined && chooseCoding(headers.acceptEncoding) === 'gzip';
  return {
    status: 200,
    headers: {
      ...guards,
      'Content-Type': file.type,
      'Cache-Control': caching,
      Vary: 'Accept, Accept-Encoding',
      ...(isGzip && { 'Content-Encoding': 'gzip' }),
    },
    body: isGzip ? file.gzipped : file.bytes,
  };
}

function notBuilt(): Page {
  return {
    status: 503,
    headers: { ...guards, 'Content-Type': 'text/plain; charset=utf-8' },
    body: 'The studio has not been built: run npm run build, then start the server again.\n',
  };
}

/** The description of the package lies two levels up, for the sources and for the build alike. */
function packageVersion(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8');
  return (JSON.parse(text) as { readonly version: string }).version;
}
