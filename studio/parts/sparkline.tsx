/** A small line of the last minutes. What AWS would have throttled is drawn over it in red. */
export function Sparkline({
  values,
  marks,
  label,
}: {
  readonly values: readonly number[];
  readonly marks?: readonly number[];
  readonly label: string;
}) {
  const [width, height] = [120, 24];
  const top = Math.max(1e-9, ...values);
  const x = (i: number) => (values.length < 2 ? 0 : (i / (values.length - 1)) * width);
  const y = (value: number) => height - 2 - (value / top) * (height - 4);
  const line = values
    .map((value, i) => `${i === 0 ? 'M' : 'L'}${x(i).toFixed(1)} ${y(value).toFixed(1)}`)
    .join('');
  return (
    <svg
      class="spark"
      viewBox={`0 0 ${width} ${height}`}
      role="img"
      aria-label={label}
      preserveAspectRatio="none"
    >
      {values.length > 1 ? (
        <>
          <path class="under" d={`${line}L${width} ${height}L0 ${height}Z`} />
          <path d={line} />
        </>
      ) : (
        <path d={`M0 ${height - 2}L${width} ${height - 2}`} opacity="0.3" />
      )}
      {marks?.map((mark, i) =>
        mark > 0 ? <path key={i} class="throttled" d={`M${x(i).toFixed(1)} ${height}v-6`} /> : null,
      )}
    </svg>
  );
}
