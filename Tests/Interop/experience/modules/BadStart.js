// A control that cannot be made.
export default class BadStart {
	constructor() { throw new Error("BadStart throws in its constructor"); }
}
