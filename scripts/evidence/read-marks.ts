import { type Grade, grades, type Source, sources } from './sources.ts';

/** One citation of a mark: `observed: ACK DDB-TABLE-216` is the grade, the source and the rest. */
export interface Citation {
  readonly grade: Grade;
  readonly source: Source | undefined;
  readonly detail: string;
}

/** A statement about the service, as a comment of the code makes it, with what it stands on. */
export interface Statement {
  readonly path: string;
  /** The name that the comment describes, if it describes one. */
  readonly name: string | undefined;
  readonly text: string;
  readonly citations: readonly Citation[];
}

export interface Marks {
  readonly statements: readonly Statement[];
  /** Marks that cannot be read, each with its file and the reason. */
  readonly faults: readonly string[];
}

const anyGrade = grades.join('|');
const beginning = new RegExp(`\\((?=(?:${anyGrade})\\b)`, 'g');
const between = new RegExp(`; (?=(?:${anyGrade})\\b)`);

/**
 * Reads the marks in the comments of one file. A mark stands in parentheses behind what it proves: a grade, a colon, a
 * source, and what else is known, as in `(observed: ACK DDB-TABLE-216)`. `(inferred)` and `(guess)` need no source. A
 * mark may hold several, divided by semicolons.
 */
export function readMarks(path: string, code: string): Marks {
  const statements: Statement[] = [];
  const faults: string[] = [];
  for (const { text, name } of commentsOf(code)) {
    const found = [...text.matchAll(beginning)].map(({ index }) => ({
      from: index,
      to: closing(text, index),
    }));
    let previousEnd = 0;
    for (const group of bySentence(text, found)) {
      const citations: Citation[] = [];
      for (const { from, to } of group.marks)
        for (const part of text.slice(from + 1, to - 1).split(between)) {
          const citation = readCitation(part);
          if (typeof citation === 'string') faults.push(`${path}: (${part}): ${citation}`);
          else citations.push(citation);
        }
      // A short sentence says too little without the one before it.
      const short = group.to - group.from < shortSentence;
      const from = short && group.from > 0 ? sentenceStart(text, group.from - 3) : group.from;
      statements.push({
        path,
        name,
        text: withoutMarks(text.slice(Math.max(from, previousEnd), group.to)),
        citations,
      });
      previousEnd = group.to;
    }
  }
  return { statements, faults };
}

const shortSentence = 90;

function readCitation(text: string): Citation | string {
  const colon = text.indexOf(': ');
  const grade = (colon < 0 ? text : text.slice(0, colon)) as Grade;
  if (!grades.includes(grade)) return 'no grade, or no colon behind it';
  const rest = colon < 0 ? '' : text.slice(colon + 2);
  if (rest === '')
    return grade === 'inferred' || grade === 'guess' ? { grade, source: undefined, detail: '' } : 'no source';
  const source = sources.find(
    ({ name }) => rest === name || (rest.startsWith(name) && /^[, :]/.test(rest.slice(name.length))),
  );
  if (source === undefined) return 'no source of scripts/evidence/sources.ts';
  if (source.grade !== grade) return `the source is ${source.grade}`;
  return { grade, source, detail: rest.slice(source.name.length).replace(/^[, :]+/, '') };
}

interface Comment {
  /** Without stars and line ends. */
  readonly text: string;
  readonly name: string | undefined;
}

/** The comments that stand on lines of their own. */
export function commentsOf(code: string): Comment[] {
  const pattern = /^[ \t]*\/\*[\s\S]*?\*\/|(?:^[ \t]*\/\/.*(?:\n|$))+/gm;
  return [...code.matchAll(pattern)].map((match) => ({
    text: match[0]
      .replace(/^\s*\/\*\*?|\*\/$/g, '')
      .replaceAll(/^[ \t]*(?:\*|\/\/) ?/gm, '')
      .replaceAll(/\s+/g, ' ')
      .trim(),
    name: declaredName(code.slice(match.index + match[0].length)),
  }));
}

function declaredName(rest: string): string | undefined {
  const line = rest.trimStart().split('\n', 1)[0]!;
  return (
    /^(?:export )?(?:abstract |async )?(?:function\*?|class|interface|type|const|let) (\w+)/.exec(
      line,
    )?.[1] ?? /^(?:static |readonly |async |private )*(#?\w+)(?:\?|!)?(?::|\(.*\{$)/.exec(line)?.[1]
  );
}

/** The position behind the parenthesis that closes the one at `open`. */
function closing(text: string, open: number): number {
  let depth = 0;
  for (let at = open; at < text.length; at++) {
    if (text[at] === '(') depth += 1;
    if (text[at] === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return text.length;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** The sentences that hold marks, each once. */
function bySentence(text: string, marks: readonly Span[]): (Span & { readonly marks: Span[] })[] {
  const groups: (Span & { readonly marks: Span[] })[] = [];
  for (const mark of marks) {
    const last = groups.at(-1);
    if (last !== undefined && mark.from < last.to) last.marks.push(mark);
    else groups.push({ from: sentenceStart(text, mark.from), to: sentenceEnd(text, mark.to), marks: [mark] });
  }
  return groups;
}

function sentenceStart(text: string, before: number): number {
  for (let at = before; at > 0; at--) if (isBoundary(text, at)) return at + 2;
  return 0;
}

function sentenceEnd(text: string, from: number): number {
  for (let at = from; at < text.length; at++) if (isBoundary(text, at)) return at + 1;
  return text.length;
}

/** A full stop between sentences: outside of code, with a space and no small letter behind it. */
function isBoundary(text: string, at: number): boolean {
  return (
    text[at] === '.' &&
    /^ [^a-z ]/.test(text.slice(at + 1, at + 3)) &&
    text.slice(0, at).split('`').length % 2 === 1
  );
}

function withoutMarks(text: string): string {
  let rest = text;
  for (let match = beginning.exec(rest); match !== null; match = beginning.exec(rest)) {
    rest = rest.slice(0, match.index).trimEnd() + rest.slice(closing(rest, match.index));
    beginning.lastIndex = 0;
  }
  return rest.replace(/^- /, '').trim();
}
