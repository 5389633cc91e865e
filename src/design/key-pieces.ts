import type { Piece } from './ir.ts';

/** Ends every piece of a key, so that no value is the prefix of another. */
export const delimiter = '#';

/** Sorts directly behind the delimiter: the upper end of everything under a prefix. */
export const afterDelimiter = '$';

/** A template as people write it: `ORDER#{customerId}#{placedAt}`. */
export function templateText(pieces: readonly Piece[]): string {
  return pieces.map(pieceText).join('');
}

function pieceText(piece: Piece): string {
  switch (piece.kind) {
    case 'constant':
      return piece.text;
    case 'attribute':
      return piece.inverted ? `{inverted ${piece.attribute}}` : `{${piece.attribute}}`;
    case 'bucket':
      return `{${piece.unit} of ${piece.attribute}}`;
    case 'shard':
      return `{shard of ${piece.of.join('+')}, ${piece.count}}`;
  }
}

/** Joins pieces by the delimiter and merges neighbouring constants. */
export function joinPieces(pieces: readonly Piece[]): Piece[] {
  const joined: Piece[] = [];
  const add = (piece: Piece) => {
    const last = joined.at(-1);
    if (piece.kind === 'constant' && last?.kind === 'constant') {
      joined[joined.length - 1] = { kind: 'constant', text: last.text + piece.text };
    } else joined.push(piece);
  };
  pieces.forEach((piece, at) => {
    if (at > 0) add({ kind: 'constant', text: delimiter });
    add(piece);
  });
  return joined;
}
