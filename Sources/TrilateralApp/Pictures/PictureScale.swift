import Flare

/// Fits metres of a plan into a picture: the same scale both ways, and in the middle.
struct PictureScale {
    private let left: Double
    private let top: Double
    private let minX: Double
    /// The y that is drawn at the top.
    private let upperY: Double
    private let isFlipped: Bool
    /// Dots a metre.
    private let scale: Double

    /// - Parameter points: What the picture must show; `nil` if there is nothing, or no room.
    init?(_ points: [Point3D], isFlipped: Bool, on canvas: BrailleCanvas) {
        let (xs, ys) = (points.map(\.x).filter(\.isFinite), points.map(\.y).filter(\.isFinite))
        guard let minX = xs.min(), let maxX = xs.max(), let minY = ys.min(), let maxY = ys.max(),
            canvas.columns > 2, canvas.rows > 2
        else { return nil }
        // A single point is shown with a metre around it.
        let (width, height) = (max(maxX - minX, 2), max(maxY - minY, 2))
        let (spareX, spareY) = (width - (maxX - minX), height - (maxY - minY))
        let (dotsX, dotsY) = (Double(canvas.width - 1), Double(canvas.height - 1))
        let scale = min(dotsX / width, dotsY / height)
        guard scale > 0, scale.isFinite else { return nil }
        (self.scale, self.isFlipped) = (scale, isFlipped)
        self.minX = minX - spareX / 2
        upperY = isFlipped ? minY - spareY / 2 : maxY + spareY / 2
        left = (dotsX - width * scale) / 2
        top = (dotsY - height * scale) / 2
    }

    func dot(_ point: Point3D) -> BrailleCanvas.Dot {
        .init(
            left + (point.x - minX) * scale,
            top + (isFlipped ? point.y - upperY : upperY - point.y) * scale
        )
    }

    func length(_ metres: Double) -> Double { metres * scale }

    /// The upper left and the lower right corner of a box.
    func area(_ box: Box) -> (BrailleCanvas.Dot, BrailleCanvas.Dot) {
        let one = dot(box.origin)
        let other = dot(Point3D(x: box.origin.x + box.width, y: box.origin.y + box.height))
        return (
            .init(min(one.x, other.x), min(one.y, other.y)), .init(max(one.x, other.x), max(one.y, other.y))
        )
    }
}
