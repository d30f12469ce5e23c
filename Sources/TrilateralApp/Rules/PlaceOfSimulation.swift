import ArgumentParser
import Controller
import Flare
import FlareServer
import JSON
import Rules

/// The things and zones of a model file, for a simulation.
struct PlaceOfSimulation {
    /// With the short names that a daemon would give to objects that it sees for the first time.
    let objects: SimulatedPlace
    /// Where the first environment is, if it has a geofence.
    let centre: GeoPoint?
    /// The time zone of the first environment, `time_zone` in its data.
    let timeZone: String?

    /// Reads a file; what is wrong in it goes to standard error.
    ///
    /// - Throws: ``VerbError`` if it cannot be read or has errors.
    init(path: String) throws {
        let report = try ModelFile(path: path).examine()
        guard let tree = report.tree else {
            for line in report.lines(mostWarnings: 0) { StandardError.print(line) }
            throw VerbError(report.summary, .dataError)
        }
        self.init(tree)
    }

    init(_ tree: ModelTree) {
        // Names are given by rising identifiers; those that the file lacks come last, and in its order.
        let isWritten = { (record: FlareRecord) in !tree.generatedIDs.contains(record.id) }
        let records =
            tree.records.filter(isWritten).sorted { $0.id < $1.id }
            + tree.records.filter { !isWritten($0) }
        var slugs = SlugRegistry()
        var named: [(reference: ObjectReference, slug: String)] = []
        for record in records where record.kind == .thing || record.kind == .zone {
            let name = record.members["name"]?.string ?? ""
            if let slug = slugs.assign(to: record.reference, name: name) {
                named.append((reference: record.reference, slug: slug))
            }
        }
        var objects = SimulatedPlace(named)
        for record in records where record.kind == .thing { objects.set(record.data ?? [:], of: record.id) }
        self.objects = objects
        let environment = tree.records.first { $0.kind == .environment }
        let geofence = Geofence(json: environment?.members["geofence"])
        centre = geofence.flatMap { $0.centre.isValid ? $0.centre : nil }
        timeZone = environment?.data?["time_zone"]?.string
    }
}
