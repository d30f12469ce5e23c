import ArgumentParser
import Daemon
import FlareServer
import Foundation
import JSON
import Profiles
import Settings

/// The place, with the checks of `trilateral import`.
package struct PlaceFacts: Sendable {
    package static let check = "place"
    private static let mostLines = 10

    /// What was found of the place.
    package enum Finding: Sendable {
        /// A Flare server elsewhere has it.
        case elsewhere
        /// Nothing was imported yet.
        case none
        /// The place as a model file, with the names of all profiles.
        case stored([UInt8], profiles: [String]?)
        /// Its database is not there, and a backup has it.
        case missing
        /// This user may not look.
        case closed(String)
        case failed(String)
    }

    package var finding = Finding.none

    package init() {}

    package var verdicts: [DoctorVerdict] {
        switch finding {
        case .elsewhere: return [DoctorVerdict(Self.check, .ok, "a Flare server elsewhere has it")]
        case .none:
            return [
                DoctorVerdict(
                    Self.check,
                    .warning,
                    "there is none yet",
                    advice: "trilateral import FILE, or make one on the page"
                )
            ]
        case .missing:
            return [
                DoctorVerdict(
                    Self.check,
                    .warning,
                    "flare.db is missing, and a backup has it",
                    advice: "the check of the databases says what to do"
                )
            ]
        case .closed(let reason): return [DoctorVerdict(Self.check, .warning, reason)]
        case .failed(let reason):
            return [
                DoctorVerdict(
                    Self.check,
                    .problem,
                    "it cannot be read: \(reason)",
                    advice: "the check of the databases says what to do; if it finds none, look at the disk"
                )
            ]
        case .stored(let bytes, let profiles): return verdicts(bytes, profiles)
        }
    }

    private func verdicts(_ bytes: [UInt8], _ profiles: [String]?) -> [DoctorVerdict] {
        let report = ModelReport(on: bytes, path: Self.check, profiles: profiles)
        guard report.tree?.records.isEmpty == false || report.hasErrors else {
            var facts = self
            facts.finding = .none
            return facts.verdicts
        }
        let lines = report.lines(mostWarnings: Self.mostLines)
        let model = (try? JSONValue(parsing: bytes)) ?? .null
        let advice = "trilateral export FILE, correct it there, trilateral import FILE --replace"
        let found = lines.prefix(2 * Self.mostLines).map { line in
            // The lines of an export say nothing to who has none.
            let text = line.drop { $0 != " " }.drop { $0 == " " }
            let isError = text.hasPrefix("error:")
            let word = ["error: ", "warning: "].first { text.hasPrefix($0) } ?? ""
            return DoctorVerdict(
                Self.check,
                isError ? .problem : .warning,
                ModelNames.inserted(in: String(text.dropFirst(word.count)), of: model),
                advice: advice
            )
        }
        return found.isEmpty ? [DoctorVerdict(Self.check, .ok, report.summary)] : found
    }

    static func gathered(_ context: DoctorContext) async -> PlaceFacts {
        var facts = PlaceFacts()
        guard context.values.flare.mode == .embedded else {
            facts.finding = .elsewhere
            return facts
        }
        let database = URL(filePath: context.stateFolder).appending(path: "flare.db").path(
            percentEncoded: false
        )
        if access(database, F_OK) != 0 {
            let folder = URL(filePath: context.stateFolder, directoryHint: .isDirectory)
            if errno == EACCES {
                facts.finding = .closed("this user may not read the place; run it with sudo")
            } else if StateRepair.lastBackup(of: .flare, in: folder, context.values.backup) != nil {
                facts.finding = .missing
            }
            return facts
        }
        do {
            let folder = try StateFolder(named: context.stateFolder, environment: [:])
            let model = try await folder.readModel()
            let profiles = context.values.profiles.library.profiles.map(\.name)
            facts.finding = .stored(Array(model.bytes), profiles: profiles)
        } catch let error as VerbError where error.code == .noPermission {
            facts.finding = .closed(error.message)
        } catch let error as StateFolderError where error.code == EACCES {
            facts.finding = .closed("this user may not read the place; run it with sudo")
        } catch {
            facts.finding = .failed((error as? VerbError)?.message ?? "\(error)")
        }
        return facts
    }
}
