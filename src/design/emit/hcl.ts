/** A block of Terraform's language: its head, then attributes and inner blocks in order. */
export interface HclBlock {
  readonly head: string;
  readonly note?: string;
  readonly body: readonly (HclAttribute | HclBlock | string)[];
}

/** `name = expression`; the expression is written as it is, and may have several lines. */
export interface HclAttribute {
  readonly name: string;
  readonly value: string;
}

export function hclBlock(head: string, body: HclBlock['body'], note?: string): HclBlock {
  return { head, body, ...(note === undefined ? {} : { note }) };
}

export function hclAttribute(name: string, value: string): HclAttribute {
  return { name, value };
}

/** A quoted string in which `${…}` stays an expression. */
export function quoted(text: string): string {
  return `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')}"`;
}

/** Values between braces, one on each line, as `terraform fmt` aligns them. */
export function hclObject(members: readonly (readonly [string, string])[]): string {
  const lines = bodyLines(members.map(([name, value]) => ({ name, value })));
  return ['{', ...lines.map((line) => (line === '' ? '' : `  ${line}`)), '}'].join('\n');
}

export function writeHcl(blocks: readonly HclBlock[]): string {
  return `${blocks.map((block) => blockLines(block).join('\n')).join('\n\n')}\n`;
}

function blockLines({ head, note, body }: HclBlock): string[] {
  const notes = note === undefined ? [] : note.split('\n').map((line) => `# ${line}`);
  if (body.length === 0) return [...notes, `${head} {}`];
  const lines = bodyLines(body).map((line) => (line === '' ? '' : `  ${line}`));
  return [...notes, `${head} {`, ...lines, '}'];
}

/** Neighbouring attributes of one line each have their equals signs below each other. */
function bodyLines(body: HclBlock['body']): string[] {
  const lines: string[] = [];
  let group: HclAttribute[] = [];
  const flush = () => {
    const width = Math.max(0, ...group.map(({ name }) => name.length));
    for (const { name, value } of group) lines.push(`${name.padEnd(width)} = ${value}`);
    group = [];
  };
  body.forEach((part, at) => {
    if (typeof part === 'string') {
      flush();
      lines.push(...part.split('\n').map((line) => (line === '' ? '' : `# ${line}`)));
    } else if ('name' in part) {
      const [first, ...rest] = part.value.split('\n');
      if (rest.length === 0) {
        group.push(part);
      } else {
        flush();
        lines.push(`${part.name} = ${first}`, ...rest);
      }
    } else {
      flush();
      if (at > 0 && typeof body[at - 1] !== 'string') lines.push('');
      lines.push(...blockLines(part));
      const next = body[at + 1];
      if (next !== undefined && typeof next !== 'string' && 'name' in next) lines.push('');
    }
  });
  flush();
  return lines;
}
