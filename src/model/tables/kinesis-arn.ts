/** The ARN of a Kinesis data stream. */
export interface KinesisArn {
  readonly partition: string;
  readonly region: string;
  readonly account: string;
  readonly streamName: string;
}

export function parseKinesisArn(text: string): KinesisArn | undefined {
  const match = /^arn:(aws[a-z-]*):kinesis:([a-zA-Z0-9_-]+):(\d{12}):stream\/([a-zA-Z0-9_.-]{1,128})$/.exec(
    text,
  );
  if (match === null) return undefined;
  const [, partition = '', region = '', account = '', streamName = ''] = match;
  return { partition, region, account, streamName };
}
