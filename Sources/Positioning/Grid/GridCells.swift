/// The layers of a grid as raw memory.
///
/// Pointer access takes a tenth of the time of array access in debug builds, and is faster in release builds
/// too.
struct GridCells {
    enum Layer: Int, CaseIterable {
        case standing, walking, scratch, offset, weights, weighted, logLikelihood
    }

    let base: UnsafeMutablePointer<Float>
    /// Cells in a layer.
    let count: Int

    subscript(layer: Layer) -> UnsafeMutablePointer<Float> { base + layer.rawValue * count }

    private var padding: UnsafeMutablePointer<Float> { base + Layer.allCases.count * count }

    static func with<Result>(_ layers: inout [Float], _ count: Int, _ body: (GridCells) -> Result) -> Result {
        layers.withUnsafeMutableBufferPointer { buffer in
            guard let base = buffer.baseAddress, buffer.count >= count * Layer.allCases.count else {
                preconditionFailure("a grid has its layers")
            }
            return body(GridCells(base: base, count: count))
        }
    }

    /// Blurs along x into the scratch layer and along y back; cells beyond the edge repeat the edge.
    func blur(_ layer: Layer, _ blur: MotionBlur, _ area: GridArea) {
        let radius = blur.radius
        guard radius > 0 else { return }
        let (columns, rows) = (area.columns, area.rows)
        let (layer, scratch) = (self[layer], self[.scratch])
        blur.weights.withUnsafeBufferPointer { weights in
            for row in 0..<rows {
                let (source, target) = (layer + row * columns, scratch + row * columns)
                padding.update(repeating: source[0], count: radius)
                (padding + radius).update(from: source, count: columns)
                (padding + radius + columns).update(repeating: source[columns - 1], count: radius)
                target.update(repeating: 0, count: columns)
                for tap in weights.indices {
                    Self.add(padding + tap, times: weights[tap], to: target, columns)
                }
            }
            for row in 0..<rows {
                let target = layer + row * columns
                target.update(repeating: 0, count: columns)
                for tap in weights.indices {
                    let other = min(max(row + tap - radius, 0), rows - 1)
                    Self.add(scratch + other * columns, times: weights[tap], to: target, columns)
                }
            }
        }
    }

    private static func add(
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
}
