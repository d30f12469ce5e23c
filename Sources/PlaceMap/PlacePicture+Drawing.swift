import Flare

/// How much detail is drawn.
struct PictureDetail: Sendable {
    var zones = 300
    var things = 1200
    /// Most labels of things.
    var labels = 300
    var zoneNames = 100

    /// From full detail to the least, which always fits.
    static let steps = [
        PictureDetail(), PictureDetail(labels: 60, zoneNames: 40),
        PictureDetail(zones: 100, things: 400, labels: 0, zoneNames: 0),
    ]
}

extension PlacePicture {
    /// The picture as SVG; equal content gives equal bytes.
    package var svg: [UInt8] {
        let plan = PlanContent(self)
        for detail in PictureDetail.steps {
            let bytes = Array(drawn(plan, detail).utf8)
            if bytes.count <= Self.sizeLimit { return bytes }
        }
        return Array(drawn(plan, PictureDetail(zones: 0, things: 0, labels: 0, zoneNames: 0)).utf8)
    }

    private func drawn(_ plan: PlanContent, _ detail: PictureDetail) -> String {
        let zones = plan.zones.prefix(detail.zones)
        var drawing = PictureDrawing(
            plan.bounds,
            isFlipped: environment?.isFlipped ?? false,
            zones: zones.map(\.zone),
            style: style
        )
        let shown = plan.things(limit: detail.things, nearby: nearbyID)
        let things = shown.map(\.thing)
        let nearby = shown.first { $0.id == nearbyID }?.thing
        let north = environment.map { $0.angle.isFinite ? $0.angle : 0 } ?? 0
        drawing.drawZones(zones, here: zoneID)
        drawing.keepFree(things)
        drawing.keepFree(device)
        drawing.drawNames(of: zones.prefix(detail.zoneNames))
        drawing.drawAccuracy(device)
        drawing.drawThings(things, nearby: nearby, device: device)
        drawing.drawDevice(device, north: north)
        let others = shown.filter { $0.id != nearbyID }.map(\.thing)
        drawing.drawNames(of: others, nearby: nearby, limit: detail.labels)
        drawing.drawEdges(
            title: environment.map { PictureText.clean($0.name) },
            north: north,
            hidden: plan.things.count - shown.count
        )
        return drawing.finished
    }
}
