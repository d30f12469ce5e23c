import ArgumentParser
import Rules
import Settings
import Things

/// The time zones of a simulation.
struct SimulationZones {
    private let database: TimeZoneDatabase

    init(_ database: TimeZoneDatabase) { self.database = database }

    /// The zone of a name.
    ///
    /// - Parameter origin: Where the name is from, such as an option, for messages.
    /// - Throws: ``VerbError``: 66 if this machine has no time zones; the code for a name that is none.
    func zone(
        named name: String,
        from origin: String,
        _ code: ExitCode = .usage
    ) throws(VerbError) -> ZoneTable {
        do throws(TimeZoneError) {
            return try database.zone(named: name)
        } catch {
            throw VerbError("\(origin): \(error)", Self.code(error, orElse: code))
        }
    }

    /// The zone of what names none: that of the place, or else that of the system.
    ///
    /// - Parameter path: The file of the place.
    func usualZone(of place: PlaceOfSimulation?, from path: String) throws(VerbError) -> ZoneTable {
        if let name = place?.timeZone {
            return try zone(named: name, from: "\(path): time_zone of the environment", .dataError)
        }
        do throws(TimeZoneError) {
            return try database.systemZone()
        } catch {
            throw VerbError("\(error); or give --zone", Self.code(error, orElse: .usage))
        }
    }

    /// The zones that rules name; names that are none go to standard error.
    ///
    /// - Throws: The exit code 65 if there is such a name; ``VerbError`` if this machine has no time zones, or a damaged one.
    func zones(of rules: [RuleOfFile]) throws -> [String: ZoneTable] {
        var zones: [String: ZoneTable] = [:]
        var isUsable = true
        for rule in rules {
            for name in rule.rule.zoneNames.sorted() where zones[name] == nil {
                do throws(TimeZoneError) {
                    zones[name] = try database.zone(named: name)
                } catch {
                    guard error.cause == .name else {
                        throw VerbError("\(rule.file): \(error)", Self.code(error, orElse: .dataError))
                    }
                    StandardError.print("\(rule.problem(.invalidValue, "timeZone: \(error)"))")
                    isUsable = false
                }
            }
        }
        guard isUsable else { throw ExitCode.dataError }
        return zones
    }

    private static func code(_ error: TimeZoneError, orElse code: ExitCode) -> ExitCode {
        switch error.cause {
        case .name: code
        case .noDatabase: .noInput
        case .file: .dataError
        }
    }
}
