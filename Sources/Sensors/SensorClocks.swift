/// The clocks that sensors use, in seconds.
package struct SensorClocks: Sendable {
    /// A clock that never jumps; with any origin.
    package let steady: @Sendable () -> Double
    /// Since 1970.
    package let wall: @Sendable () -> Double

    package init(steady: @escaping @Sendable () -> Double, wall: @escaping @Sendable () -> Double) {
        self.steady = steady
        self.wall = wall
    }
}
