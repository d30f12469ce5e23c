/// The layers of a grid as raw memory.
///
/// Pointer access takes a tenth of the time of array access in debug builds, and is faster in release builds
/// too.
struct GridCells {
    enum Layer: Int, CaseIterable {
        case standing, scratch, offset, receiversOffset, weights, weighted, logLikelihood
    }

    /// The directions of walking, counter-clockwise from x; each has a layer.
    static let headings = 8
    private static let layers = Layer.allCases.count + headings
    /// Rows of working memory: one for each heading, and two more.
    private static let workingRows = headings + 2

    let base: UnsafeMutablePointer<Float>
    /// Cells in a layer.
    let count: Int

    subscript(layer: Layer) -> UnsafeMutablePointer<Float> { base + layer.rawValue * count }

    /// For each cell, the constant error of a source that fits best if the device is there.
    func offset(of source: MeasurementSource) -> UnsafeMutablePointer<Float> {
        self[source == .device ? .offset : .receiversOffset]
    }

    func walking(_ heading: Int) -> UnsafeMutablePointer<Float> {
        base + (Layer.allCases.count + heading) * count
    }

    /// The number of values that an area needs.
    static func size(_ area: GridArea) -> Int { area.count * layers + workingRows * paddedColumns(area) }

    private static func paddedColumns(_ area: GridArea) -> Int { area.columns + 2 * MotionBlur.widest }

    private func row(_ number: Int, _ area: GridArea) -> UnsafeMutablePointer<Float> {
        base + Self.layers * count + number * Self.paddedColumns(area)
    }

    static func with<Result>(_ layers: inout [Float], _ area: GridArea, _ body: (GridCells) -> Result)
        -> Result
    {
        layers.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, buffer.count >= size(area) else {
                preconditionFailure("a grid has its layers")
            }
            return body(GridCells(base: base, count: area.count))
        }
    }

    /// The probability of each cell, standing or walking, into the scratch layer.
    func addUp() {
        let sum = self[.scratch]
        sum.update(from: self[.standing], count: count)
        for heading in 0..<Self.headings { Self.add(walking(heading), times: 1, to: sum, count) }
    }

    /// Moves the belief by a step of time; cells beyond the edge repeat the edge.
    ///
    /// A walker who goes on keeps the heading; of the others, half turn to a neighbouring heading and half to any.
    func move(_ motion: PeopleMotion, _ chances: MotionChances, _ area: GridArea) {
        let (columns, standing) = (area.columns, self[.standing])
        let (all, begin) = (row(Self.headings, area), row(Self.headings + 1, area))
        let going = 1 - chances.stopping
        let share = 1 / Float(Self.headings)
        for line in 0..<area.rows {
            let start = line * columns
            all.update(repeating: 0, count: columns)
            for heading in 0..<Self.headings {
                Self.add(walking(heading) + start, times: 1, to: all, columns)
            }
            begin.update(repeating: 0, count: columns)
            Self.add(all, times: going * (1 - chances.keeping) * 0.5 * share, to: begin, columns)
            Self.add(standing + start, times: chances.starting * share, to: begin, columns)
            Self.scale(standing + start, by: 1 - chances.starting, columns)
            Self.add(all, times: chances.stopping, to: standing + start, columns)
            for heading in 0..<Self.headings {
                let left = walking((heading + 1) % Self.headings) + start
                let right = walking((heading + Self.headings - 1) % Self.headings) + start
                let radius = motion.walkingX[heading].radius
                let target = row(heading, area) + radius
                target.update(from: begin, count: columns)
                Self.add(walking(heading) + start, times: going * chances.keeping, to: target, columns)
                Self.add(left, times: going * (1 - chances.keeping) * 0.25, to: target, columns)
                Self.add(right, times: going * (1 - chances.keeping) * 0.25, to: target, columns)
            }
            // Only now, because each heading needs its neighbours of before.
            for heading in 0..<Self.headings {
                blurRow(heading, to: walking(heading) + start, motion.walkingX[heading], area)
            }
        }
        for heading in 0..<Self.headings { blurColumns(of: walking(heading), motion.walkingY[heading], area) }
        guard motion.standing.radius > 0 else { return }
        for line in 0..<area.rows {
            let values = standing + line * columns
            (row(0, area) + motion.standing.radius).update(from: values, count: columns)
            blurRow(0, to: values, motion.standing, area)
        }
        blurColumns(of: standing, motion.standing, area)
    }

    /// Multiplies walking by a probability and standing by the rest of 1, and keeps the sum.
    ///
    /// The sum says how well this floor fits the received levels, which a moving flag does not.
    func weigh(walking probability: Double) {
        let standing = Self.sum(self[.standing], count)
        var walking = 0.0
        for heading in 0..<Self.headings { walking += Self.sum(self.walking(heading), count) }
        let scale = (standing + walking) / ((1 - probability) * standing + probability * walking)
        guard scale.isFinite else { return }
        Self.scale(self[.standing], by: Float((1 - probability) * scale), count)
        for heading in 0..<Self.headings {
            Self.scale(self.walking(heading), by: Float(probability * scale), count)
        }
    }

    /// Blurs a working row, whose cells begin at the radius.
    private func blurRow(
        _ number: Int,
        to target: UnsafeMutablePointer<Float>,
        _ blur: MotionBlur,
        _ area: GridArea
    ) {
        let (source, radius, columns) = (row(number, area), blur.radius, area.columns)
        source.update(repeating: source[radius], count: radius)
        (source + radius + columns).update(repeating: source[radius + columns - 1], count: radius)
        target.update(repeating: 0, count: columns)
        blur.weights.withUnsafeBufferPointer { weights in
            var tap = 0
            while tap + 3 < weights.count {
                let from = source + tap
                let (one, two, three, four) = (
                    weights[tap], weights[tap + 1], weights[tap + 2], weights[tap + 3]
                )
                var cell = 0
                while cell < columns {
                    target[cell] +=
                        one * from[cell] + two * from[cell &+ 1] + three * from[cell &+ 2]
                        + four * from[cell &+ 3]
                    cell &+= 1
                }
                tap += 4
            }
            while tap < weights.count {
                Self.add(source + tap, times: weights[tap], to: target, columns)
                tap += 1
            }
        }
    }

    /// Blurs a layer along y, through the scratch layer.
    private func blurColumns(of layer: UnsafeMutablePointer<Float>, _ blur: MotionBlur, _ area: GridArea) {
        let (scratch, radius, columns, rows) = (self[.scratch], blur.radius, area.columns, area.rows)
        scratch.update(from: layer, count: count)
        blur.weights.withUnsafeBufferPointer { weights in
            for line in 0..<rows {
                let target = layer + line * columns
                func source(_ tap: Int) -> UnsafeMutablePointer<Float> {
                    scratch + min(max(line + tap - radius, 0), rows - 1) * columns
                }
                target.update(repeating: 0, count: columns)
                var tap = 0
                while tap + 3 < weights.count {
                    let (a, b, c, d) = (source(tap), source(tap + 1), source(tap + 2), source(tap + 3))
                    let (one, two, three, four) = (
                        weights[tap], weights[tap + 1], weights[tap + 2], weights[tap + 3]
                    )
                    var cell = 0
                    while cell < columns {
                        target[cell] += one * a[cell] + two * b[cell] + three * c[cell] + four * d[cell]
                        cell &+= 1
                    }
                    tap += 4
                }
                while tap < weights.count {
                    Self.add(source(tap), times: weights[tap], to: target, columns)
                    tap += 1
                }
            }
        }
    }

    static func add(
        _ source: UnsafeMutablePointer<Float>,
        times weight: Float,
        to target: UnsafeMutablePointer<Float>,
        _ count: Int
    ) {
        var cell = 0
        while cell < count {
            target[cell] += weight * source[cell]
            cell &+= 1
        }
    }

    private static func scale(_ layer: UnsafeMutablePointer<Float>, by factor: Float, _ count: Int) {
        var cell = 0
        while cell < count {
            layer[cell] *= factor
            cell &+= 1
        }
    }

    /// The sum of a layer, from four parts that run in parallel.
    private static func sum(_ layer: UnsafeMutablePointer<Float>, _ count: Int) -> Double {
        var (one, two, three, four): (Float, Float, Float, Float) = (0, 0, 0, 0)
        var cell = 0
        while cell &+ 3 < count {
            one += layer[cell]
            two += layer[cell &+ 1]
            three += layer[cell &+ 2]
            four += layer[cell &+ 3]
            cell &+= 4
        }
        while cell < count {
            one += layer[cell]
            cell &+= 1
        }
        return Double(one) + Double(two) + Double(three) + Double(four)
    }

    /// Multiplies two layers into the first.
    ///
    /// - Returns: The sum, from four parts that run in parallel.
    static func multiply(
        _ layer: UnsafeMutablePointer<Float>,
        _ factor: UnsafeMutablePointer<Float>,
        _ count: Int
    ) -> Double {
        var (one, two, three, four): (Float, Float, Float, Float) = (0, 0, 0, 0)
        var cell = 0
        while cell &+ 3 < count {
            let (a, b) = (layer[cell] * factor[cell], layer[cell &+ 1] * factor[cell &+ 1])
            let (c, d) = (layer[cell &+ 2] * factor[cell &+ 2], layer[cell &+ 3] * factor[cell &+ 3])
            layer[cell] = a
            layer[cell &+ 1] = b
            layer[cell &+ 2] = c
            layer[cell &+ 3] = d
            one += a
            two += b
            three += c
            four += d
            cell &+= 4
        }
        while cell < count {
            layer[cell] *= factor[cell]
            one += layer[cell]
            cell &+= 1
        }
        return Double(one) + Double(two) + Double(three) + Double(four)
    }

    /// Multiplies a layer by a factor and adds a constant.
    static func normalise(_ layer: UnsafeMutablePointer<Float>, by factor: Float, plus: Float, _ count: Int) {
        var cell = 0
        while cell < count {
            layer[cell] = layer[cell] * factor + plus
            cell &+= 1
        }
    }
}
