// A screen whose update fails later, in a promise.
export default class BadScreen {
	mount() {}

	async update() { throw new Error("BadScreen throws in update"); }

	unmount() {}
}
