import Controller
import Flare
package import Settings

extension StateStore {
    private static let mostNames = 20

    /// The things and zones that a configuration names, and that no daemon has seen, a sentence each.
    ///
    /// - Returns: Nothing for a folder in which no place is known yet.
    package func unknownNames(of values: TrilateralConfiguration) throws(StateStoreError) -> [String] {
        let slugs = try memory().slugs
        guard !slugs.objects(of: .thing).isEmpty else { return [] }
        // What a link meant once it keeps, whatever that is called now.
        let known = try links()
        let links = values.links.filter { known[$0.thing] == nil }.map {
            ConfiguredName($0.thing, in: "links", [.thing], isName: true)
        }
        let (problems, more) = ConfiguredName.problems(
            of: values.names + links,
            in: slugs,
            limit: Self.mostNames
        )
        return problems + (more > 0 ? ["\(more) more names of things and zones mean nothing"] : [])
    }
}
